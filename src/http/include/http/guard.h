// Decides who may see a page that shows a run. At a loopback address, every user of the machine may see it. Requests
// made under a foreign host name are refused, because a browser can be tricked into sending them (DNS rebinding). At
// other addresses a token is needed. All functions are pure.
#pragma once

#include <string>
#include <string_view>

namespace pollen::http {

// Tells whether an address or name is reachable from this machine only: 127.x.y.z, ::1 or localhost.
bool is_loopback(const std::string& host);

// Tells whether a request's Host header names this machine by a loopback address or name. The port may be any, because
// it may be forwarded (ssh -L).
bool names_loopback(std::string_view host_header);

// Tells whether a Host header names this machine: by a loopback name, any IP address, the name `own` under which a
// server listens, or the machine's name. A page of another site cannot make a browser send one of these with its own
// name, so a request with any other was tricked out of a browser.
bool names_this_machine(std::string_view host_header, const std::string& own);

// Compares two strings in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace pollen::http
