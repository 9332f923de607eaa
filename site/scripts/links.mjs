// Links of the Markdown files of the repository, as GitHub and editors follow them: each names a file that is there, and an
// anchor that a heading or an <a id> has. check-built.mjs looks at those of the built site.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { slug } from './slug.mjs'

const SKIPPED = new Set(['node_modules', 'target', 'out', 'dist', 'cache', '.git'])

/** All Markdown files, as paths from the root. */
function markdownFiles(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : markdownFiles(root, path)
    return entry.isFile() && path.endsWith('.md') ? [path] : []
  })
}

/** The lines outside of blocks of code, with their number from 1. */
function prose(text) {
  let fence = null
  return text.split('\n').flatMap((line, index) => {
    const mark = line.match(/^\s*(`{3,}|~{3,})/)?.[1]
    if (mark && (!fence || mark.startsWith(fence))) {
      fence = fence ? null : mark
      return []
    }
    return fence ? [] : [{ line, number: index + 1 }]
  })
}

function anchors(root, path) {
  const found = new Set()
  const times = new Map()
  for (const { line } of prose(readFileSync(join(root, path), 'utf8'))) {
    for (const [, id] of line.matchAll(/<a id="([^"]+)">/g)) found.add(id)
    const heading = line.match(/^#{1,6} (.*)$/)?.[1]
    if (heading) {
      const name = slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').replace(/<[^>]*>/g, ''))
      const before = times.get(name) ?? 0
      times.set(name, before + 1)
      found.add(before ? `${name}-${before}` : name)
    }
  }
  return found
}

/** Adds a line for each link that leads nowhere. */
export function linkFaults(root, faults) {
  const known = new Map()
  const anchorsOf = (path) => known.get(path) ?? known.set(path, anchors(root, path)).get(path)
  for (const file of markdownFiles(root)) {
    for (const { line, number } of prose(readFileSync(join(root, file), 'utf8'))) {
      for (const [, , href] of line.replace(/`[^`]*`/g, '``').matchAll(/(\]\(|<img [^>]*src="|<source [^>]*srcset="|<a [^>]*href=")([^)"\s]+)/g)) {
        if (/^[a-z]+:/.test(href)) {
          continue
        }
        const [path, anchor] = href.split('#')
        const target = path ? normalize(join(dirname(file), decodeURIComponent(path))) : file
        if (href.startsWith('/') || !existsSync(join(root, target))) {
          faults.push(`${file}:${number}: link finds no file: ${href}`)
        } else if (anchor && target.endsWith('.md') && !anchorsOf(target).has(anchor)) {
          faults.push(`${file}:${number}: link finds no anchor: ${href}`)
        }
      }
    }
  }
}
