/** Inline markdown: a table from token types to nodes. Unknown types are shown as written. */
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { texts } from '../../texts/texts.ts'
import { LongText } from '../long-text.tsx'
import { decodeEntities } from './decode-entities.ts'

type Show = (token: never, depth: number) => ComponentChildren

/** Deepest nesting shown. Nobody writes more, and a browser cannot lay out thousands of levels. */
export const maximumDepth = 24

const kinds: Readonly<Record<string, Show>> = {
  text: ({ tokens, text }: Tokens.Text, depth) =>
    tokens === undefined ? <LongText text={decodeEntities(text)} /> : inline(tokens, depth),
  escape: ({ text }: Tokens.Escape) => text,
  strong: ({ tokens }: Tokens.Strong, depth) => <strong>{inline(tokens, depth)}</strong>,
  em: ({ tokens }: Tokens.Em, depth) => <em>{inline(tokens, depth)}</em>,
  del: ({ tokens }: Tokens.Del, depth) => <del>{inline(tokens, depth)}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{text}</code>,
  br: () => <br />,
  checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  link: ({ href, tokens, text }: Tokens.Link, depth) => <Link href={href} label={inline(tokens, depth)} text={text} />,
  // Pictures are never loaded: their address could carry the conversation to a third party.
  image: ({ href, text }: Tokens.Image) => <Link href={href} label={texts.markdown.picture(text)} text="" />,
}

export function inline(tokens: readonly Token[], depth = 0): ComponentChildren {
  return tokens.map((token, index) => {
    const show = depth < maximumDepth ? kinds[token.type] : undefined
    const shown = show === undefined ? token.raw : show(token as never, depth + 1)
    return typeof shown === 'string' ? shown : <Inline key={index}>{shown}</Inline>
  })
}

/** Gives a node a key. */
function Inline({ children }: { readonly children?: ComponentChildren }) {
  return <>{children}</>
}

interface LinkProps {
  readonly href: string
  readonly label: ComponentChildren
  readonly text: string
}

/** Shows a link, with its host if the text does not name it. Unsafe links are text. */
function Link({ href, label, text }: LinkProps) {
  const link = safeLink(decodeEntities(href))
  if (link === undefined) return <span class="dead-link">{label}</span>
  const isTold = [link.href, link.host].includes(URL.parse(text)?.href ?? text)
  return (
    <>
      <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
        {label}
      </a>
      {!isTold && <span class="muted"> ({link.host})</span>}
    </>
  )
}

interface SafeLink {
  readonly href: string
  /** Host or address of mail, shown before the link is followed. */
  readonly host: string
}

const schemes: readonly string[] = ['http:', 'https:', 'mailto:']

/** Returns a link from a model's text that is safe to follow; undefined for scripts, data and relative links. */
export function safeLink(href: string): SafeLink | undefined {
  const url = URL.parse(href)
  if (url === null || !schemes.includes(url.protocol)) return undefined
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host }
}
