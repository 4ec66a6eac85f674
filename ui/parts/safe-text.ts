import { options, type VNode } from 'preact'

/** Marks that reorder the text beside them, even outside their own text */
const reordering = /[\u061c\u202a-\u202e\u2066-\u2069]/g
/** Text of invisible characters only, which would look empty. Plain blanks alone are not escaped. */
const unseen = /^[\s\p{Default_Ignorable_Code_Point}\p{M}\p{C}\u2800]+$/u
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u
const everyCharacter = /\S/gu

/** Returns text of any origin in a safe form: reordering marks and invisible texts are escaped. */
export function safeText(text: string): string {
  return text.replace(unseen.test(text) && invisible.test(text) ? everyCharacter : reordering, escaped)
}

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`
}

const shownAttributes = ['title', 'aria-label', 'label'] as const

/**
 * Makes all text safe that pages draw from now on. Names may come from anybody, so no page has to remember this
 * itself.
 */
export function drawSafely(): void {
  const before = options.vnode
  options.vnode = (node) => {
    makeSafe(node.props)
    before?.(node)
  }
}

function makeSafe(props: VNode['props'] & Record<string, unknown>): void {
  const { children } = props
  if (typeof children === 'string') props.children = safeText(children)
  else if (Array.isArray(children))
    props.children = children.map((child: unknown) => (typeof child === 'string' ? safeText(child) : child)) as never
  for (const name of shownAttributes) {
    const value = props[name]
    if (typeof value === 'string') props[name] = safeText(value)
  }
}
