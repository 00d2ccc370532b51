// Tests the report's page in a browser: node browser_test.mjs POLLEN WEB_BUILD. Exit code 77 means skipped, with the
// reason.
//
// Runs are made here (by pollen itself, or as files with known content), `pollen report` makes their pages, and
// headless Chromium opens them from the disk, like an attachment of a mail.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const [pollen, webBuild] = process.argv.slice(2);
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumPath) {
  console.log("skipped: no chromium (Debian: chromium)");
  process.exit(77);
}
const { chromium } = createRequire(join(webBuild, "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "pollen-browser-"));
const shots = process.env.POLLEN_SHOTS; // a folder for screenshots, if anyone wants to look

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const make = (...args) => execFileSync(pollen, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

// Uniform numbers by a linear congruence, without a library.
function* random(seed) {
  let state = seed >>> 0;
  for (;;) yield (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function putDraws(name, { names, chains = 4, draws = 400, shift = 0 }) {
  mkdirSync(join(folder, name), { recursive: true });
  for (let c = 0; c < chains; ++c) {
    const numbers = random(100 + c), lines = [`lp__,${names.join(",")}`];
    for (let i = 0; i < draws; ++i) lines.push(`-1,${names.map((_, j) => (numbers.next().value + numbers.next().value + j * 0.1 + shift).toFixed(5)).join(",")}`);
    writeFileSync(join(folder, name, `draws-${c + 1}.csv`), `${lines.join("\n")}\n`);
  }
}

// A page, with every fault that it reported.
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage(), wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => request.url().startsWith("file:") || wrong.push(`asked for ${request.url()}`));
  page.on("dialog", (dialog) => (wrong.push(`said ${dialog.message()}`), dialog.dismiss()));
  await page.goto(pathToFileURL(join(folder, file)).href);
  await page.waitForSelector("main section:not([hidden])");
  return { page, wrong, close: () => context.close() };
}

async function scrollThrough(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (let y = 0; y < document.body.scrollHeight; y += 300) {
      window.scrollTo(0, y);
      await frame();
    }
    window.scrollTo(0, 0);
  });
}

// Returns the canvases that have one colour only.
const blank = (page) => page.evaluate(() =>
  Array.from(document.querySelectorAll("main canvas")).filter((canvas) => {
    const { width, height } = canvas;
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
    return pixels.every((pixel) => pixel === pixels[0]);
  }).map((canvas) => canvas.closest("section")?.querySelector("h2")?.textContent + " / " + canvas.closest(".cell")?.textContent));

const picture = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const kRun = ["--set", "run.iterations=3000", "--set", "run.burn_in=500", "--set", "participation.policy=bernoulli", "--set", "participation.probability=0.5", "--quiet"];
function run(name, ...more) {
  if (!existsSync(join(folder, name))) make("run", "--out", name, ...kRun, ...more);
}

const section = (page, id) => page.locator(`section[aria-labelledby=${id}]`);
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const csv = (name, lines) => writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
const short = ["--set", "run.iterations=2000", "--set", "run.burn_in=500", "--set", "run.chains=2", "--quiet"];

test("a run of pollen: every section, every plot drawn, nothing wrong", async () => {
  run("a");
  assert.match(make("report", "a"), /a\/report\.html/);
  const { page, wrong, close } = await open("a/report.html");
  const titles = await page.locator("main section:not([hidden]) h2").allTextContents();
  for (const title of ["Overview", "Summary table", "Forest plot", "Communication", "Scores and calibration", "Predictive check", "Participation", "Heterogeneity", "Parameter plots", "Pairs", "Configuration and versions"])
    assert.ok(titles.includes(title), `${title} in ${titles}`);
  await scrollThrough(page);
  assert.ok((await page.locator("main canvas").count()) > 30);
  assert.deepEqual(await blank(page), []);
  assert.equal(await page.locator(".card.unmade").count(), 0);
  assert.match(await page.locator(".verdict strong").innerText(), /onverged/);
  assert.match(await page.locator(".config").innerText(), /qlsd\+\+/);
  assert.equal(await section(page, "forest").locator("circle").count(), 6);
  await picture(page, "run");
  assert.deepEqual(wrong, []);
  await close();
});

test("a logistic run says what it is of: statement, odds ratios, calibration of the event, predictive check", async () => {
  run("a");
  make("report", "a");
  const { page, wrong, close } = await open("a/report.html");
  await scrollThrough(page);
  assert.match(await page.locator(".statement").innerText(), /Logistic regression of survived: the event is survived = yes.*N\(0,\s.*Sampled by qlsd\+\+ with step.*(orecast|error)/s);
  const summary = await section(page, "summary").innerText();
  assert.match(summary, /log odds of survived = yes, per unit of each column/);
  assert.match(summary, /odds ratio, 5 % to 95 %/);
  const rows = await page.locator("#summary-table tbody tr").evaluateAll((all) => all.map((tr) => [tr.firstElementChild.textContent, tr.children[6].textContent]));
  assert.equal(rows.find(([label]) => label === "intercept")[1], "");
  assert.ok(rows.filter(([, ratio]) => /^[\d.e-]+ \(.* to .*\)$/.test(ratio)).length >= 5, String(rows));
  const scores = await section(page, "calibration").innerText();
  assert.match(scores, /on \d+ test rows/);
  assert.match(scores, /the AUC \(90 % interval 0\.\d+ to 0\.\d+\)/);
  const check = await section(page, "check").innerText();
  assert.match(check, /The label yes makes up .* of the rows/);
  assert.match(check, /Clients are not compared, because data\.partition made them by label/);
  assert.equal(await section(page, "check").locator(".cross").count(), 2);
  assert.match(await section(page, "communication").innerText(), /Every round sent|Nothing was sent|round/);
  assert.deepEqual(wrong, []);
  await close();
});

test("counts on training rows: rate ratios, zeros, and the page says which rows", async () => {
  const numbers = random(5), lines = ["visits,dose"];
  for (let i = 0; i < 200; ++i) {
    const dose = numbers.next().value * 3, many = Math.exp(0.4 * dose);
    lines.push(`${numbers.next().value < 0.3 ? 0 : Math.floor(many * 2 * numbers.next().value)},${dose.toFixed(3)}`);
  }
  csv("visits.csv", lines);
  make("run", "--out", "counts", "--set", "model.kind=poisson", "--set", `data.source=${join(folder, "visits.csv")}`, "--set", "data.target=visits",
    "--set", "data.test_fraction=0.0", "--set", "data.partition=iid", "--set", "data.clients=4", "--set", "sampler.name=lsd", ...short);
  make("report", "counts");
  const { page, wrong, close } = await open("counts/report.html", { viewport: { width: 400, height: 900 } });
  await scrollThrough(page);
  assert.match(await section(page, "summary").innerText(), /rate ratio/);
  assert.match(await section(page, "calibration").innerText(), /200 training rows \(there are no test rows/);
  assert.match(await section(page, "check").innerText(), /Zeros make up/);
  assert.ok((await section(page, "check").locator(".cross").count()) >= 6); // counts, and four clients
  assert.match(await section(page, "communication").innerText(), /Every round sent .* up and .* down/);
  assert.equal(await section(page, "communication").locator("canvas:visible").count(), 0);
  assert.ok((await overflow(page)) <= 0);
  assert.ok(await section(page, "summary").locator(".more").isVisible());
  await picture(page, "counts-400");
  assert.deepEqual(wrong, []);
  await close();
});

test("mixed models: estimates, and each client's own beside the pooled one", async () => {
  const numbers = random(9), lines = ["y,x,who"];
  for (let i = 0; i < 12; ++i)
    for (let r = 0, own = 3 * numbers.next().value; r < 15; ++r) {
      const x = numbers.next().value;
      lines.push(`${numbers.next().value < 1 / (1 + Math.exp(1.5 - own + x)) ? "yes" : "no"},${x.toFixed(3)},hospital ${i + 1} of the northern district`);
    }
  csv("mixed.csv", lines);
  make("run", "--out", "mixed", "--set", "model.kind=mixed-logistic", "--set", "sampler.name=fedsoul", "--set", `data.source=${join(folder, "mixed.csv")}`, "--set", "data.target=y",
    "--set", "data.partition=by-column", "--set", "data.column=who", "--set", "run.iterations=300", "--set", "run.chains=2", "--set", "output.client_draws=50", "--quiet");
  make("report", "mixed");
  const { page, wrong, close } = await open("mixed/report.html", { viewport: { width: 400, height: 900 } });
  await scrollThrough(page);
  assert.match(await section(page, "summary").innerText(), /standard error/);
  const effects = section(page, "effects");
  assert.match(await effects.innerText(), /The population's mean is .*; the intervals of \d+ of 12 clients leave it out/);
  assert.equal(await effects.locator("circle").count(), 12);
  assert.equal(await effects.locator(".band").count(), 1);
  // Long names are whole, and inside the picture.
  const names = await effects.locator("svg text:not(.axis)").allTextContents();
  assert.ok(names.join(" ").includes("hospital 12 of the northern district"), names.join(" "));
  const cut = await effects.locator("svg").evaluate((svg) => Array.from(svg.querySelectorAll("text:not(.axis)"))
    .filter((text) => text.getBBox().x < 0 || text.getBBox().x + text.getBBox().width > svg.viewBox.baseVal.width).length);
  assert.equal(cut, 0);
  assert.ok((await overflow(page)) <= 0);
  await picture(page, "mixed-400");
  assert.deepEqual(wrong, []);
  await close();
});

test("a network opens with its scores, and nuts shows its trajectories", async () => {
  make("run", "--out", "net", "--set", "model.kind=mlp", "--set", "model.sizes=[4]", "--set", "sampler.name=lsd", "--set", "sampler.step=1e-3", ...short);
  make("run", "--out", "nuts", "--set", "sampler.name=nuts", "--set", "run.iterations=600", "--set", "run.chains=2", "--quiet");
  make("report", "net");
  make("report", "nuts");
  const net = await open("net/report.html");
  const titles = await net.page.locator("main section:not([hidden]) h2").allTextContents();
  assert.equal(titles[1], "Scores and calibration", String(titles));
  assert.deepEqual(titles.slice(-5), ["Summary table", "Forest plot", "Parameter plots", "Pairs", "Configuration and versions"]);
  assert.deepEqual(net.wrong, []);
  await net.close();
  const nuts = await open("nuts/report.html");
  const words = await section(nuts.page, "trajectories").innerText();
  assert.match(words, /transitions after burn-in diverged/);
  assert.match(words, /E-BFMI/);
  assert.equal(await section(nuts.page, "trajectories").locator("tbody tr").count(), 2);
  assert.match(await section(nuts.page, "communication").innerText(), /\d rounds|Every round sent/);
  assert.deepEqual(nuts.wrong, []);
  await nuts.close();
});

test("long labels are whole in tables and in the forest plot, at 1280 and at 400 pixels", async () => {
  const names = ["systolic_blood_pressure_at_first_visit_in_mmHg", "diagnosis: chronic obstructive pulmonary disease with acute exacerbation", "age"];
  putDraws("long", { names: names.map((name) => `"${name}"`) });
  make("report", "long");
  for (const width of [1280, 400]) {
    const { page, wrong, close } = await open("long/report.html", { viewport: { width, height: 900 } });
    await scrollThrough(page);
    for (const name of names) assert.ok((await section(page, "forest").locator("svg").textContent()).replace(/\s/g, "").includes(name.replace(/\s/g, "")), `${name} at ${width}`);
    const clipped = await page.locator("#summary-table tbody th").evaluateAll((all) => all.filter((th) => th.scrollWidth > th.clientWidth + 1).length);
    assert.equal(clipped, 0, `at ${width}`);
    assert.equal(await section(page, "summary").locator(".more").isVisible(), width === 400);
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(wrong, []);
    await close();
  }
});

test("tooltips of lines and of maps say their numbers", async () => {
  run("a");
  make("report", "a");
  const { page, wrong, close } = await open("a/report.html");
  await scrollThrough(page);
  for (const [place, words] of [["section[aria-labelledby=parameters] .u-over", /value: .*chain 1: /s], ["section[aria-labelledby=participation] canvas", /took part in .* of .* rounds/], ["section[aria-labelledby=heterogeneity] canvas", /label .* rows/]]) {
    const target = page.locator(place).first();
    await target.scrollIntoViewIfNeeded();
    await target.hover();
    assert.match(await page.locator(".tooltip").innerText(), words);
  }
  await page.mouse.move(2, 2);
  assert.equal(await page.locator(".tooltip").isVisible(), false);
  assert.deepEqual(wrong, []);
  await close();
});

test("200 parameters and 100,000 rounds: small, and only what is seen is drawn", async () => {
  putDraws("big", { names: Array.from({ length: 200 }, (_, j) => `theta.${j + 1}`), draws: 1000 });
  const rows = ["round,uplink_bits,downlink_bits,gradients,seconds,accuracy"];
  for (let r = 1; r <= 100000; ++r) rows.push(`${r},${r * 640},${r * 1280},${r * 10},${r / 1000},${(0.9 - 1 / (r + 9)).toFixed(6)}`);
  writeFileSync(join(folder, "big/metrics.csv"), `${rows.join("\n")}\n`);
  make("report", "big");
  assert.ok(statSync(join(folder, "big/report.html")).size < 3e6);
  const { page, wrong, close } = await open("big/report.html");
  assert.equal(await page.locator("article.card").count(), 200);
  assert.ok((await page.locator("article.card:not(.unmade)").count()) < 10, "plots far below the window are made at once");
  await page.fill("#parameter-filter", "theta.137");
  assert.equal(await page.locator("#summary-table tbody tr:visible").count(), 1);
  const card = page.locator("article.card:visible");
  assert.equal(await card.count(), 1);
  await card.scrollIntoViewIfNeeded();
  await card.locator("canvas").first().waitFor();
  assert.ok((await page.locator("article.card:not(.unmade)").count()) < 20);
  await page.fill("#parameter-filter", "no such name");
  assert.equal(await page.locator("article.card:visible").count(), 0);
  await page.fill("#parameter-filter", "");
  assert.equal(await page.locator("#summary-table tbody tr:visible").count(), 200);
  // A minute of processor time would end this test. The count of made plots above keeps it short.
  assert.deepEqual(await blank(page), []);
  assert.deepEqual(wrong, []);
  await close();
});

test("the table sorts and flags, in words too", async () => {
  putDraws("short", { names: ["b", "a", "c"], draws: 60 });
  make("report", "short");
  const { page, wrong, close } = await open("short/report.html");
  const labels = () => page.locator("#summary-table tbody th").allTextContents();
  assert.deepEqual(await labels(), ["b", "a", "c"]);
  await page.locator("#summary-table thead button", { hasText: "parameter" }).click();
  assert.deepEqual(await labels(), ["a", "b", "c"]);
  await page.keyboard.press("Enter"); // the table's head keeps the focus
  assert.deepEqual(await labels(), ["c", "b", "a"]);
  assert.equal(await page.locator('th[aria-sort="descending"]').count(), 1);
  assert.match(await page.locator("#summary-table .flag.bad").first().innerText(), /low|high/);
  assert.match(await page.locator(".verdict").innerText(), /Not converged.*ESS below 400/s);
  assert.deepEqual(wrong, []);
  await close();
});

test("names that look like HTML are text", async () => {
  const evil = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "<b>bold</b>"];
  putDraws("evil", { names: evil, draws: 50 });
  make("report", "evil");
  const { page, wrong, close } = await open("evil/report.html");
  await scrollThrough(page);
  assert.deepEqual(await page.locator("#summary-table tbody th").allTextContents(), evil);
  assert.equal(await page.locator("main img, main script, main b").count(), 0);
  assert.deepEqual(await page.locator("article.card h3").allTextContents(), evil);
  assert.deepEqual(wrong, []);
  await close();
});

test("the policy stops scripts that the page did not bring", async () => {
  putDraws("policy", { names: ["x"], draws: 50 });
  make("report", "policy");
  const { page, wrong, close } = await open("policy/report.html");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.foreign = true";
    document.body.append(script);
    return window.foreign === true;
  });
  assert.equal(ran, false);
  assert.equal(wrong.filter((line) => line.includes("Content Security Policy")).length, 1, String(wrong));
  await close();
});

test("dark colours by the system's wish and by choice; paper is white", async () => {
  run("a");
  make("report", "a");
  const { page, wrong, close } = await open("a/report.html", { colorScheme: "dark" });
  const dark = await ground(page);
  assert.notEqual(dark, "rgb(255, 255, 255)");
  await scrollThrough(page);
  await picture(page, "dark");
  await page.selectOption("#theme", "light");
  assert.equal(await ground(page), "rgb(255, 255, 255)");
  await page.selectOption("#theme", "dark");
  assert.equal(await ground(page), dark);
  assert.deepEqual(await blank(page), []);
  await page.emulateMedia({ media: "print" });
  assert.equal(await ground(page), "rgb(255, 255, 255)");
  assert.equal(await page.locator("nav").isVisible(), false);
  await picture(page, "print");
  const paper = await page.pdf(shots ? { path: join(shots, "print.pdf") } : {});
  assert.ok(paper.length > 20000);
  assert.deepEqual(wrong, []);
  await close();
});

test("several runs are compared by colour and name", async () => {
  run("a");
  run("b", "--set", "sampler.name=lsd");
  make("report", "a", "b", "-o", "both.html");
  const { page, wrong, close } = await open("both.html");
  await scrollThrough(page);
  const text = await page.locator("section[aria-labelledby=comparison]").innerText();
  assert.match(text, /Runs side by side/);
  assert.match(text, /difference \/ sd/);
  assert.match(text, /a \(“here”\) against the reference b/);
  assert.match(text, /a against b: the (posteriors|means) .*worst \|z\|/);
  assert.equal(await page.locator("section[aria-labelledby=comparison] table").nth(1).locator("tbody tr").count(), 6);
  assert.equal(await page.locator(".verdict").count(), 2);
  assert.deepEqual(await blank(page), []);
  await picture(page, "both");
  assert.deepEqual(wrong, []);
  await close();
});

test("a narrow window needs no sideways scrolling; landmarks and names for screen readers", async () => {
  run("a");
  make("report", "a");
  const { page, wrong, close } = await open("a/report.html", { viewport: { width: 390, height: 800 } });
  await scrollThrough(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await picture(page, "narrow");
  for (const landmark of ["header", "nav", "main"]) assert.equal(await page.locator(landmark).count(), 1, landmark);
  const nameless = await page.evaluate(() => Array.from(document.querySelectorAll("main canvas, main svg"))
    .filter((e) => !e.closest("[aria-label]")).length);
  assert.equal(nameless, 0);
  const unnamed = await page.evaluate(() => Array.from(document.querySelectorAll("input, select"))
    .filter((e) => !e.labels?.length && !e.getAttribute("aria-label")).length);
  assert.equal(unnamed, 0);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
  assert.deepEqual(wrong, []);
  await close();
});
