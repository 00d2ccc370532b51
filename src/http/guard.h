// Who may see a page that shows what a run does. At the machine's own address: whoever is on it, but no page of another
// site that the browser was led to under a false name (DNS rebinding). Elsewhere: who knows the token.
#pragma once

#include <string>
#include <string_view>

namespace pollen::http {

// An address or name that only this machine reaches: 127.x.y.z, ::1, localhost.
bool is_loopback(const std::string& host);

// Whether a request's Host names this machine by what nobody else can own. Any port: it may be forwarded (ssh -L).
bool names_loopback(std::string_view host_header);

// In a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace pollen::http
