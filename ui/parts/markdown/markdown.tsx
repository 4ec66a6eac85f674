import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { block } from './blocks.tsx'
import type { Block, GrowingMarkdown } from './growing-markdown.ts'

/**
 * Number of blocks per section of the page. The browser skips sections out of sight, and so does the comparison of
 * nodes.
 */
const sectionBlocks = 32

/** Shows the text that a `GrowingMarkdown` has. Finished blocks are never compared again. */
export function Markdown({ document }: { readonly document: GrowingMarkdown }) {
  const sections = useRef<{ readonly version: number; readonly nodes: VNode[] }>({ version: 0, nodes: [] })
  const { closed, open } = document
  const full = Math.floor(closed.length / sectionBlocks)
  if (document.version !== sections.current.version) sections.current = { version: document.version, nodes: [] }
  const { nodes } = sections.current
  for (let index = nodes.length; index < full; index += 1) {
    nodes.push(section(index, closed.slice(index * sectionBlocks, (index + 1) * sectionBlocks)))
  }
  return (
    <div class="markdown">
      {nodes}
      {section(full, [...closed.slice(full * sectionBlocks), ...open])}
    </div>
  )
}

function section(index: number, blocks: readonly Block[]): VNode {
  return (
    <section key={index}>
      {blocks.map(({ index: key, token }) => (
        <ShownBlock key={key} token={token} />
      ))}
    </section>
  )
}

/** Shows a block. Rebuilds it if its text or type has changed; blocks with links are rebuilt with each token. */
function ShownBlock({ token }: Pick<Block, 'token'>) {
  const made = useRef<{ readonly token: Block['token']; readonly node: VNode }>(undefined)
  const before = made.current?.token
  const isSame = before === token || (before?.raw === token.raw && before.type === token.type && !hasLinks(token.raw))
  if (made.current === undefined || !isSame) {
    made.current = { token, node: <>{block(token)}</> }
  }
  return made.current.node
}

/** Returns whether a block may contain a link whose definition has arrived since. */
function hasLinks(raw: string): boolean {
  return raw.includes('[')
}
