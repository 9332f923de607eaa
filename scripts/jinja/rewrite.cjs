// Prints @huggingface/jinja in the JavaScript that Rhino 1.9 runs: no classes, no spread.
const fs = require("fs");
const path = require("path");
const babel = require("@babel/core");

const library = path.join(__dirname, "node_modules", "@huggingface", "jinja");
const { version } = JSON.parse(fs.readFileSync(path.join(library, "package.json"), "utf8"));
const licence = fs.readFileSync(path.join(library, "LICENSE"), "utf8").trim();
const source = fs.readFileSync(path.join(library, "dist", "index.js"), "utf8");

const { code } = babel.transformSync(source, {
  configFile: false,
  babelrc: false,
  comments: false,
  sourceType: "module",
  presets: [
    [require.resolve("@babel/preset-env"), { targets: { rhino: "1.9.0" }, modules: "commonjs" }],
  ],
});
process.stdout.write(
  `/*\n@huggingface/jinja ${version}, rewritten for Rhino by scripts/jinja.sh. Not edited by hand.\n\n` +
    `${licence}\n*/\n${code}\n`,
);
