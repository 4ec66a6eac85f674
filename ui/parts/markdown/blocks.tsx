/** Markdown blocks: a table from token types to nodes. Unknown types are shown as written. */
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { LongText } from '../long-text.tsx'
import { CodeBlock } from './code-block.tsx'
import type { PlainToken } from './growing-markdown.ts'
import { inline, maximumDepth } from './inline.tsx'

type Show = (token: never, depth: number) => ComponentChildren

const kinds: Readonly<Record<string, Show>> = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  heading: ({ depth, tokens }: Tokens.Heading) => <Heading level={depth}>{inline(tokens)}</Heading>,
  paragraph: ({ tokens }: Tokens.Paragraph) => <p dir="auto">{inline(tokens)}</p>,
  text: ({ tokens, text }: Tokens.Text) => (tokens === undefined ? text : inline(tokens)),
  checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  code: ({ text, lang, raw }: Tokens.Code) => (
    <CodeBlock code={text} language={lang?.trim().split(/\s/)[0] ?? ''} isClosed={isClosed(raw)} />
  ),
  blockquote: ({ tokens }: Tokens.Blockquote, depth) => <blockquote dir="auto">{blocks(tokens, depth)}</blockquote>,
  list: (list: Tokens.List, depth) => <List list={list} depth={depth} />,
  table: (table: Tokens.Table) => <TableBlock table={table} />,
  plain: ({ raw }: PlainToken) => (
    <p class="plain" dir="auto">
      <LongText text={raw} isCut />
    </p>
  ),
}

export function block(token: Token | PlainToken, depth = 0): ComponentChildren {
  const show = depth < maximumDepth ? kinds[token.type] : undefined
  if (show !== undefined) return show(token as never, depth + 1)
  return (
    <p class="plain" dir="auto">
      <LongText text={token.raw.trimEnd()} isCut />
    </p>
  )
}

function blocks(tokens: readonly Token[], depth: number): ComponentChildren {
  return tokens.map((token) => block(token, depth))
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} dir="auto">
      {blocks(item.tokens, depth)}
    </li>
  ))
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

/** Shows a heading at a level below the page's headings, whose outline an answer must not change. */
function Heading({ level, children }: { readonly level: number; readonly children: ComponentChildren }) {
  return (
    <p class={`heading heading-${Math.min(level, 4)}`} dir="auto">
      <strong>{children}</strong>
    </p>
  )
}

function TableBlock({ table }: { readonly table: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <div class="table-scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" class={alignment(cell)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={alignment(cell)} dir="auto">
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function alignment({ align }: Tokens.TableCell): string | undefined {
  return align === null ? undefined : `to-${align}`
}

/** Returns whether a fenced code block has its closing fence. Indented blocks count as closed. */
function isClosed(raw: string): boolean {
  const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(raw) ?? []
  if (mark === undefined) return true
  const lastLine = raw
    .trimEnd()
    .slice(raw.trimEnd().lastIndexOf('\n') + 1)
    .trim()
  return raw.includes('\n') && lastLine.startsWith(mark) && /^(`+|~+)$/.test(lastLine)
}
