import { useEffect, useState } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'
import { CopyButton } from '../copy-button.tsx'
import { LongText } from '../long-text.tsx'
import type { Highlighted } from './highlight.tsx'

interface CodeBlockProps {
  readonly code: string
  readonly language: string
  /** True once the code is complete and can be coloured. */
  readonly isClosed: boolean
}

/** Longer code takes a browser too long to colour. */
const maximumCharacters = 24_000

/** Shows code with its language, a copy button, and colours once it is complete. */
export function CodeBlock({ code, language, isClosed }: CodeBlockProps) {
  const isWanted = isClosed && language !== '' && code.length <= maximumCharacters
  const coloured = useColours(isWanted ? code : undefined, language)
  return (
    <figure class="code-block">
      <figcaption>
        <span class="muted">{language === '' ? texts.markdown.code : language}</span>
        {isClosed && <CopyButton text={code} what={texts.markdown.code} />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0} dir="ltr">
        <code>{coloured ?? <LongText text={code} isCut />}</code>
      </pre>
    </figure>
  )
}

/** Returns coloured code. The highlighter is loaded with the first code that needs it. */
function useColours(code: string | undefined, language: string): Highlighted | undefined {
  const [coloured, setColoured] = useState<Highlighted>()
  useEffect(() => {
    if (code === undefined) return
    let isWanted = true
    void import('./highlight.tsx').then(
      ({ highlight }) => isWanted && setColoured(highlight(code, language)),
      () => undefined, // Without the highlighter the code stays uncoloured.
    )
    return () => {
      isWanted = false
    }
  }, [code, language])
  return coloured
}
