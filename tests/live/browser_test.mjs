// Tests the dashboard in a browser: node browser_test.mjs POLLEN WEB_BUILD. Exit code 77 means skipped, with the
// reason.
//
// Headless Chromium looks at a real `pollen run --dashboard=0` and at a federation of real processes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const [pollen, webBuild, grpc] = process.argv.slice(2);
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumPath) {
  console.log("skipped: no chromium (Debian: chromium)");
  process.exit(77);
}
const { chromium } = createRequire(join(webBuild, "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "pollen-dashboard-"));
const shots = process.env.POLLEN_SHOTS; // a folder for screenshots, if anyone wants to look
const kPatience = 60000;

let browser;
const children = [];
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => {
  await browser.close();
  for (const child of children) child.process.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

// A program with what it has written to stderr so far.
function start(...words) {
  const process = spawn(pollen, words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const child = { process, said: "", over: false, ended: null };
  child.ended = new Promise((done) => process.on("close", (code) => ((child.over = true), done(code))));
  process.stderr.setEncoding("utf8").on("data", (text) => (child.said += text));
  children.push(child);
  return child;
}

async function heard(child, words) {
  for (let i = 0; i < kPatience / 20; ++i) {
    const found = words.exec(child.said);
    if (found) return found;
    if (child.over) break;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`never said ${words}: ${child.said}`);
}

async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage(), wrong = [];
  page.setDefaultTimeout(kPatience);
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => request.url().startsWith(new URL(url).origin) || wrong.push(`asked for ${request.url()}`));
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await page.waitForSelector("#progress");
  return { page, wrong, close: () => context.close() };
}

// Polls until the condition holds, as a person would look again. (The page's policy forbids what waitForFunction does.)
async function until(page, condition, argument) {
  const end = Date.now() + kPatience;
  while (!(await page.evaluate(condition, argument))) {
    assert.ok(Date.now() < end, `never: ${condition}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

// Returns the canvases that have one colour only.
const blank = (page) => page.evaluate(() =>
  Array.from(document.querySelectorAll("main canvas")).filter((canvas) => {
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return pixels.every((pixel) => pixel === pixels[0]);
  }).length);

const picture = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
const iteration = () => Number(document.querySelector(".tile dd")?.textContent?.replaceAll(",", ""));

// The final summary, and one of the numbers that the page shows on top.
const summaryIn = (name) => JSON.parse(readFileSync(join(folder, name, "summary.json"), "utf8"));
const tile = async (page, term) => (await page.locator(".tile", { has: page.locator("dt", { hasText: term }) }).innerText()).replace(/\s+/g, " ");

const long = ["run", "--dashboard=0", "--set", "run.iterations=100000000", "--set", "run.burn_in=1000", "--set", "output.draws=none", "--quiet"];

test("a run: progress, clients, plots that change, and its end by Ctrl-C", async () => {
  const run = start(...long, "--out", "a");
  const [, url] = await heard(run, /dashboard at (http:\S+)/);
  const { page, wrong, close } = await open(url);
  await until(page, () => document.querySelectorAll("article.card").length === 6);
  assert.equal(await page.locator("li.client").count(), 10);
  const first = await page.evaluate(iteration);
  await until(page, (before) => Number(document.querySelector(".tile dd")?.textContent?.replaceAll(",", "")) > before, first);
  for (const id of ["progress", "clients", "diagnostics", "summary", "forest", "communication", "parameters", "overview"])
    assert.equal(await page.locator(`section[aria-labelledby=${id}]`).isVisible(), true, id);
  await page.locator("article.card").first().scrollIntoViewIfNeeded();
  await page.locator("article.card canvas").first().waitFor();
  assert.equal(await blank(page), 0);
  const label = () => document.querySelector("article.card [aria-label^=Trace]")?.getAttribute("aria-label");
  const trace = await page.evaluate(label);
  await until(page, (before) => document.querySelector("article.card [aria-label^=Trace]")?.getAttribute("aria-label") !== before, trace);
  assert.match(await page.locator(".standing").innerText(), /live/);
  assert.match(await page.locator("li.client").first().innerText(), /rounds\s+[\d,]+\s+last round/);
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, "run");
  run.process.kill("SIGINT");
  await until(page, () => document.querySelector(".phase")?.textContent?.startsWith("The run was stopped"));
  assert.match(await page.locator(".standing").innerText(), /over/);
  assert.equal(await run.ended, 130); // the page is still open
  const summary = summaryIn("a");
  assert.match(await tile(page, "sent up"), new RegExp(`in ${summary.communication.rounds.toLocaleString("en")} rounds`));
  assert.match(await tile(page, "draws per chain"), new RegExp(summary.draws_per_chain.toLocaleString("en")));
  assert.match(await tile(page, "worst R-hat"), new RegExp(Math.max(...summary.parameters.map((p) => p.rhat)).toFixed(3)));
  await picture(page, "stopped");
  assert.deepEqual(wrong, []);
  await close();
});

test("a connection that is lost is told and comes back", async () => {
  const run = start(...long, "--out", "c");
  const [, url] = await heard(run, /dashboard at (http:\S+)/);
  const { page, close } = await open(url, { viewport: { width: 390, height: 800 } });
  await until(page, () => document.querySelectorAll("article.card").length > 0);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  run.process.kill("SIGKILL");
  await run.ended;
  await until(page, () => document.querySelector(".standing")?.textContent?.includes("connection lost"));
  const again = start(...long.map((word) => (word === "--dashboard=0" ? `--dashboard=${new URL(url).port}` : word)), "--out", "d");
  await heard(again, /dashboard at/);
  await until(page, () => document.querySelector(".standing")?.textContent === "live");
  await picture(page, "narrow");
  again.process.kill("SIGINT");
  assert.equal(await again.ended, 130);
  await close();
});

const federated = (iterations, names) => `
seed = 3
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 3
dimension = 4
[run]
iterations = ${iterations}
burn_in = 10
chains = 2
[sampler]
name = "qlsd"
step = 0.001
[federation]
expect = ${JSON.stringify(names)}
`;
const join_ = (port, config, name, i) =>
  start("join", "--server", `127.0.0.1:${port}`, "--insecure", "--shared-seed", "--name", name, "--config", config, "--client", String(i), "--state", `state-${config}-${i}`);

async function serve(config, names, iterations, ...words) {
  writeFileSync(join(folder, config), federated(iterations, names));
  const server = start("serve", config, "--listen", "127.0.0.1:0", "--insecure", "--shared-seed", "--out", `out-${config}`, "--dashboard=0", ...words);
  const [, url] = await heard(server, /dashboard at (http:\S+)/);
  const [, port] = await heard(server, /listening at [^\s:]+:(\d+)/);
  return { server, url, port };
}

// The server waits for its clients, so that the page is open before the first round.
test("a run that ends: the last word has the final table and verdict", { skip: grpc ? false : "this build has no gRPC" }, async () => {
  const names = ["a", "b", "c"];
  const { server, url, port } = await serve("g.toml", names, 300);
  const { page, wrong, close } = await open(url, { colorScheme: "dark", reducedMotion: "reduce" });
  await until(page, () => document.querySelectorAll("li.client").length === 3);
  names.forEach((name, i) => join_(port, "g.toml", name, i));
  await until(page, () => document.querySelector(".phase")?.textContent?.startsWith("The run is complete"));
  assert.equal(await server.ended, 0);
  assert.match(await page.locator(".percentage").innerText(), /100 %/);
  const summary = summaryIn("out-g.toml");
  assert.equal(await page.locator(".verdict strong").innerText(), summary.verdict.words);
  assert.match(await tile(page, "worst R-hat"), new RegExp(Math.max(...summary.parameters.map((p) => p.rhat)).toFixed(3)));
  assert.match(await tile(page, "draws per chain"), new RegExp(`${summary.draws_per_chain}`));
  assert.match(await tile(page, "sent up"), /bit payloads, in 300 rounds/);
  for (const card of await page.locator("li.client").allInnerTexts()) assert.match(card, /last round\s+300[^]*up\s+[\d.]+ kbit/);
  assert.match(await page.locator("section[aria-labelledby=clients] p").innerText(), /whole frames/);
  assert.ok((await page.locator("#summary-table tbody tr").count()) >= 4);
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".dot")).animationName), "none");
  await picture(page, "complete-dark");
  assert.deepEqual(wrong, []);
  await close();
});

test("a federation: clients come, work, and are seen to go", { skip: grpc ? false : "this build has no gRPC" }, async () => {
  const names = ["north", "we<b>st", "south"];
  const { server, url, port } = await serve("f.toml", names, 100000000);
  const { page, wrong, close } = await open(url);
  const states = () => page.locator("li.client .badge").allTextContents();
  await until(page, () => document.querySelectorAll("li.client").length === 3);
  assert.deepEqual(await states(), ["gone", "gone", "gone"]);
  assert.match(await page.locator(".phase").innerText(), /Waiting for the clients/);
  const last = names.map((name, i) => join_(port, "f.toml", name, i))[2];
  await until(page, () => Array.from(document.querySelectorAll("li.client .badge")).every((badge) => badge.textContent === "active"));
  assert.deepEqual(await page.locator("li.client strong").allTextContents(), names);
  await until(page, () => document.querySelectorAll("article.card canvas, #diagnostics").length > 0);
  await until(page, () => document.querySelector("li.client")?.innerText.includes("latency"));
  await picture(page, "federation");
  last.process.kill("SIGKILL");
  await until(page, () => document.querySelectorAll("li.client .badge")[2]?.textContent === "gone");
  await picture(page, "federation-gone");
  server.process.kill("SIGINT");
  assert.equal(await server.ended, 130);
  assert.deepEqual(wrong, []);
  await close();
});
