// Parts of pages that are taken from sources. A comment names the source, and the block of code or the table below it is
// written by generate.mjs:
//
//   <!-- the whole of PATH -->
//   <!-- the region "NAME" of PATH -->
//   <!-- the table of NAME -->
//
// Paths are from the root of the repository. Marks behind the language of a block are kept.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MARKER = /^(\s*)<!-- the (?:(whole)|region "([^"]+)"|table) of (\S+) -->$/
const ANY = /^\s*<!-- the (?:whole|region|table)\b/
const LANGUAGES = { java: 'java', properties: 'properties', py: 'python', xml: 'xml', json: 'json' }
const IMPORT = /^\s*(<<<|<!-- ?@include)/
const START = '@start region='

/** The lines between `// @start region="name"` and `// @end`, without their common indent. */
function region(lines, name) {
  const start = lines.findIndex((line) => line.includes(`${START}"${name}"`))
  const end = lines.findIndex((line, index) => index > start && /\/\/ @end\b/.test(line))
  return start < 0 || end < 0 ? null : lines.slice(start + 1, end)
}

/** The lines of a source that a marker names, or null, with a fault. */
function code(root, path, name, fault) {
  if (!existsSync(join(root, path))) {
    return fault(`no such file: ${path}`)
  }
  const lines = readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n').trimEnd().split('\n')
  const chosen = name ? region(lines, name) : lines
  if (!chosen) {
    return fault(`no region "${name}" in ${path}`)
  }
  const kept = chosen.filter((line) => !line.includes(START) && !/^\s*\/\/ @end$/.test(line))
  const indent = Math.min(...kept.filter((line) => line.trim()).map((line) => line.search(/\S/)))
  return kept.map((line) => line.slice(indent))
}

/** How many lines from `at` on are the block that a marker is about: none if there is no block yet. */
function present(lines, at, isTable) {
  if (isTable) {
    const end = lines.findIndex((line, index) => index >= at && !line.startsWith('|'))
    return (end < 0 ? lines.length : end) - at
  }
  return /^\s*```/.test(lines[at] ?? '') ? lines.findIndex((line, index) => index > at && line.trim() === '```') + 1 - at : 0
}

/** The page with the parts as their sources have them. `tables` are lines by name; what is wrong is added to `faults`. */
export function withParts(root, page, text, tables, faults) {
  const lines = text.split('\n')
  const written = []
  for (let at = 0; at < lines.length; at++) {
    written.push(lines[at])
    const [, indent, whole, name, source] = lines[at].match(MARKER) ?? []
    const fault = (what) => (faults.push(`${page}:${at + 1}: ${what}`), null)
    if (source === undefined) {
      if (IMPORT.test(lines[at])) fault('must be in the page itself, below a marker; an import shows nothing in a clone or on GitHub')
      if (ANY.test(lines[at])) fault('must be <!-- the whole of PATH -->, <!-- the region "NAME" of PATH --> or <!-- the table of NAME -->')
      continue
    }
    const isTable = !whole && !name
    const content = isTable ? (tables[source] ?? fault(`no table of that name: ${source}`)) : code(root, source, name, fault)
    if (!content) {
      continue
    }
    const length = present(lines, at + 1, isTable)
    if (isTable) {
      written.push(...content)
    } else {
      const opening = length > 0 ? lines[at + 1] : `${indent}\`\`\`${LANGUAGES[source.split('.').pop()] ?? 'text'}`
      written.push(opening, ...content.map((line) => (line ? indent + line : line)), `${indent}\`\`\``)
    }
    at += length
  }
  return written.join('\n')
}
