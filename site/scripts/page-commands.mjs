// The commands and build files that README.md and the pages of this site ask a reader to use, as the
// marks behind a fence's language have them. Used by run-commands.mjs, which runs them, and by
// generate.mjs, which refuses a page with a block that has no mark. site/README.md lists the marks.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SHELL = new Set(['sh', 'bash', 'shell', 'console'])
/** Words behind the language; a value may be quoted, a label is in brackets as VitePress has it. */
const WORD = /\[([^\]]*)\]|([a-z-]+)(?:=(?:"([^"]*)"|(\S+)))?/g
const MARKS = new Set(['run', 'not-run', 'needs', 'with', 'file', 'pom', 'output'])

/** README.md, then the pages of the site, as paths from the root of the repository. */
export function pages(root) {
  const found = readdirSync(join(root, 'site'), { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !/(^|\/)(node_modules|\.[a-z]+)\//.test(path))
    .sort()
  return ['README.md', ...found.map((path) => 'site/' + path)]
}

/**
 * The marked blocks of a page, in its order: { page, line, language, marks, text }. Comments `<!-- sh run … -->` are
 * blocks too: what the page takes for granted.
 */
export function blocks(root, page, faults) {
  const lines = readFileSync(join(root, page), 'utf8').split(/\r?\n/)
  const found = []
  for (let index = 0; index < lines.length; index++) {
    const fence = lines[index].match(/^(\s*)(`{3,})(\w*)(.*)$/)
    const hidden = lines[index].match(/^<!-- (sh) (run.*)$/)
    if (fence) {
      const end = lines.findIndex((line, at) => at > index && line.trim() === fence[2])
      found.push(block(page, index, fence[3], fence[4], lines.slice(index + 1, end), faults))
      index = end
    } else if (hidden) {
      const end = lines.findIndex((line, at) => at > index && line === '-->')
      found.push(block(page, index, hidden[1], hidden[2], lines.slice(index + 1, end), faults))
      index = end
    }
  }
  return found
}

function block(page, index, language, info, lines, faults) {
  const marks = {}
  for (const [, label, name, quoted, plain] of info.matchAll(WORD)) {
    if (label === undefined && !MARKS.has(name)) {
      faults.push(`${page}:${index + 1}: mark must be one of ${[...MARKS].join(', ')}: ${name}`)
    } else if (label === undefined) {
      marks[name] = quoted ?? plain ?? ''
    }
  }
  const text = lines.join('\n') + '\n'
  const found = { page, line: index + 1, language, marks, text, isShell: SHELL.has(language) }
  const says = 'run' in marks || 'not-run' in marks || 'file' in marks || 'pom' in marks
  if (!says && (found.isShell || language === 'kotlin' || (language === 'xml' && text.includes('<dependency>')))) {
    faults.push(`${page}:${index + 1}: a block of commands or dependencies must say run, file=PATH, pom=FOLDER or not-run="why"`)
  }
  if (marks['not-run'] === '') {
    faults.push(`${page}:${index + 1}: not-run must say why, in quotes`)
  }
  return found
}
