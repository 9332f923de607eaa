import { existsSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Pages have links and pictures as GitHub follows them, relative to the file. This makes of them what the site has instead:
 *
 * a source with a page of Javadoc  that page, where the Javadoc is beside the pages
 * another file of the repository   the file where the sources can be seen (`repository`); else the text alone
 * a file of `public/`              that file; a picture with a `-dark` beside it is both, for either appearance
 * a plot of `plots/`               the drawing itself, so that it follows the appearance
 */
const site = resolve(fileURLToPath(import.meta.url), '../..')
const JAVADOC = /^[\w/-]+\/src\/main\/java\/(dev\/headway\/[\w/]+)(\.java)?$/
const GRAFANA = /\/(grafana-headway\.json)$/

interface Places {
  api: boolean
  repository?: string
}

export function asInRepository(md: any, places: Places) {
  md.core.ruler.push('as-in-repository', (state: any) => {
    const page = posix.join('site', state.env.relativePath ?? '')
    const tokens = state.tokens
    for (let at = 0; at < tokens.length; at++) {
      const children = tokens[at].children ?? []
      links(children, page, places)
      if (children.length === 1 && children[0].type === 'image' && tokens[at - 1]?.type === 'paragraph_open') {
        const drawing = plot(children[0], page)
        if (drawing) {
          const html = new state.Token('html_block', '', 0)
          html.content = drawing
          tokens.splice(at - 1, 3, html)
        } else {
          tokens[at].children = pictures(children[0], page, state.Token)
        }
      }
    }
  })
}

function links(children: any[], page: string, places: Places) {
  const closing: any[] = []
  for (const token of children) {
    if (token.type === 'link_open') {
      const [path, anchor] = token.attrGet('href').split('#')
      const target = /^\.{1,2}\//.test(path) ? posix.join(posix.dirname(page), path) : page
      closing.push(target.startsWith('site/') ? null : outside(token, target, anchor, places))
    } else if (token.type === 'link_close') {
      closing.pop()?.(token)
    }
  }
}

/** Changes a link that leaves the site; returns what is to be done with its end. */
function outside(token: any, target: string, anchor: string | undefined, { api, repository }: Places) {
  const behind = anchor ? `#${anchor}` : ''
  const [, type, isFile] = target.match(JAVADOC) ?? []
  const file = target.match(GRAFANA)?.[1]
  if (file) {
    token.attrs = [['href', `/${file}`], ['download', ''], ['target', '_self']]
  } else if (api && type) {
    token.attrs = [['href', `/api/${type}${isFile ? '' : '/package-summary'}.html${behind}`], ['target', '_self']]
  } else if (repository) {
    token.attrs = [['href', `${repository}/blob/HEAD/${target}${behind}`]]
  } else {
    Object.assign(token, { type: 'span_open', tag: 'span', attrs: null })
    return (end: any) => Object.assign(end, { type: 'span_close', tag: 'span' })
  }
  return undefined
}

function plot(image: any, page: string) {
  const path = posix.join(posix.dirname(page), image.attrGet('src'))
  if (!path.startsWith('site/plots/')) {
    return undefined
  }
  const text = image.content.replaceAll('"', '&quot;')
  const svg = readFileSync(resolve(site, '..', path), 'utf8')
    .replace(/<title>.*?<\/title>\n?/, '')
    .replace('role="img"', `role="img" aria-label="${text}"`)
  return `<figure class="hw-figure hw-plot" tabindex="0" v-pre>\n${svg.trim()}\n</figure>\n`
}

function pictures(image: any, page: string, Token: any) {
  const name = posix.join(posix.dirname(page), image.attrGet('src')).match(/^site\/public\/(.+)\.png$/)?.[1]
  if (!name) {
    return [image]
  }
  const shown = (file: string, appearance?: string) => {
    const token = Object.assign(new Token('image', 'img', 0), { content: image.content, children: image.children })
    token.attrs = [['src', `/${file}.png`], ['alt', ''], ...(appearance ? [['class', appearance]] : [])]
    return token
  }
  return existsSync(resolve(site, `public/${name}-dark.png`))
    ? [shown(name, 'light-only'), shown(`${name}-dark`, 'dark-only')]
    : [shown(name)]
}
