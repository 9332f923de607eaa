// Fails where the project's prose treats requests as people, or uses a phrase that was replaced by a plain one.
// Reads the site, the README, CONTRIBUTING and everything in src/main: messages, help and Javadoc alike.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** What is not written, and what is written instead. */
const BANNED = [
  [/\b([Nn]o|[Ss]ome|[Ee]very|[Aa]ny)body\b/, 'no request, a request, every caller'],
  [/\b[Ww]hoever\b/, 'the request that, the program that'],
  [/\b(for|by|of|to|is|are) whom\b|\bwhom it\b/, 'for which request, by which process'],
  [/\b[Gg](ive|ives|ave|iving) way\b/, 'is preempted'],
  [/\b(is|are|was|were|be|been) told\b|\btold apart\b/i, 'is notified, is reported, distinguished'],
  [/\b(it|that|events|nothing|coefficients) tells? (of|nothing)\b/i, 'names, reports'],
  [/\bhears?\b|\bheard\b/i, 'receives, observes'],
  [/manieth/, 'every Nth step'],
  [/\b[Pp]uts? back\b/, 'preempted'],
  [/\bstand(s|ing)? (in the way|behind)\b|\bstood (in the way|behind)\b/, 'blocks, is behind'],
  [/\bstands? on sand\b|\bin the trust that\b/, 'depends on, on the assumption that'],
  [/\banswers? nonsense\b/, 'returns an invalid answer'],
  [/would have done then/, 'would have been enough'],
  [/\b(of|by) (ours|yours)\b/, 'your own, of your own, Headway\'s'],
  [/\bsays why to\b/, 'says why it chose'],
  [/\bin the likeness of\b/, 'modelled on'],
  [/\bbriefs\b|\bbrief \d/, 'a name that a reader knows']
]

/** Text of others, and generated text. */
const SKIPPED = /(^|\/)(node_modules|target|dist|cache|\.git)(\/|$)|uPlot|jinja\.js$|package-lock\.json$|check-words\.mjs$/
const READ = /\.(md|java|mjs|mts|ts|vue|js|css|html|json|svg|properties)$/

const faults = []
let files = 0

function check(path) {
  files++
  readFileSync(join(root, path), 'utf8').split('\n').forEach((line, index) => {
    for (const [pattern, better] of BANNED) {
      const found = line.match(pattern)
      if (found) {
        faults.push(`${path}:${index + 1}: "${found[0]}" is not our word; better: ${better}`)
      }
    }
  })
}

function walk(folder, wanted) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (SKIPPED.test(path)) {
      continue
    }
    if (entry.isDirectory()) {
      walk(path, wanted)
    } else if (entry.isFile() && READ.test(path) && wanted(path)) {
      check(path)
    }
  }
}

walk('site', () => true)
walk('', (path) => path.includes('/src/main/') || /^(README|CONTRIBUTING|SECURITY)\.md$/.test(path))

if (files < 500) {
  faults.push(`read fewer files than there are: ${files}`)
}
if (faults.length > 0) {
  faults.forEach((fault) => console.error(fault))
  process.exit(1)
}
console.log(`words: ${files} files`)
