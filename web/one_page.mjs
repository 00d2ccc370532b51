// A Vite plugin: scripts and styles go into the HTML, and a Content-Security-Policy allows these and nothing else (by
// their hashes). A page that talks to its own server says so: <meta name="pollen-connect" content="'self'">.
import { createHash } from "node:crypto";

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
// "</script" and "<!--" would end or change the element that holds the code.
const safeScript = (code) => code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");

function policy(scripts, styles, connect) {
  const sources = (list) => (list.length > 0 ? list.map(hash).join(" ") : "'none'");
  return [
    "default-src 'none'",
    `script-src ${sources(scripts)}`,
    `style-src ${sources(styles)}`,
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function inlined(html, bundle) {
  const scripts = [], styles = [];
  let page = html.replace(/\s*<(script|link)\b[^>]*(src|href)="\.?\/?assets[^>]*>(<\/script>)?/g, "");
  for (const file of Object.values(bundle)) {
    if (file.type === "chunk") scripts.push(safeScript(file.code.trim()));
    if (file.type === "asset" && file.fileName.endsWith(".css")) styles.push(String(file.source).trim());
  }
  const connect = /<meta name="pollen-connect" content="([^"]*)"\s*\/?>/.exec(page);
  page = connect ? page.replace(connect[0], "") : page;
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(scripts, styles, connect?.[1] ?? "'none'")}">`;
  // Replacements are given as functions, because "$&" in a replacement text has a special meaning. The policy stands
  // before the scripts and styles that it governs.
  page = page.replace(/<meta charset="utf-8"\s*\/?>/i, (charset) => `${charset}\n${meta}`);
  page = page.replace("</head>", () => styles.map((style) => `<style>${style}</style>\n`).join("") + "</head>");
  return page.replace("</body>", () => scripts.map((code) => `<script>${code}</script>\n`).join("") + "</body>");
}

export function onePage() {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "asset" && file.fileName.endsWith(".html")) file.source = inlined(String(file.source), bundle);
      for (const [name, file] of Object.entries(bundle))
        if (!file.fileName.endsWith(".html")) delete bundle[name];
    },
  };
}
