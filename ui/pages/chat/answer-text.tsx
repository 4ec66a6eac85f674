import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { LongText } from '../../parts/long-text.tsx'
import type { GrowingMarkdown } from '../../parts/markdown/growing-markdown.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { loadedLexer, loadLexer } from './lexer.ts'
import { showCost } from './show-pace.ts'
import type { Step } from './step.ts'

type DocumentClass = typeof GrowingMarkdown

interface AnswerTextProps {
  readonly step: Step
  /** More of it is shown. */
  readonly onShown: () => void
}

/** Shows an answer as markdown. Screen readers do not announce its growth. */
export function AnswerText({ step, onShown }: AnswerTextProps) {
  const startedAtMs = performance.now()
  const Document = useMarkdown()
  // Subscribes to changes of the text.
  step.shown.value
  const isEnded = !step.isRunning

  useLayoutEffect(() => {
    onShown()
    if (!isEnded) showCost.lastMs = performance.now() - startedAtMs
  })

  if (step.text === '') return null
  return (
    <div class="answer-text" aria-live="off" dir="auto">
      {Document === undefined ? (
        <p class="plain">
          <LongText text={step.text} isCut />
        </p>
      ) : (
        <GrownText Document={Document} text={step.text} isEnded={isEnded} />
      )}
    </div>
  )
}

interface GrownTextProps {
  readonly Document: DocumentClass
  readonly text: string
  readonly isEnded: boolean
}

interface GrownState {
  readonly document: GrowingMarkdown
  taken: number
  isEnded: boolean
}

/** Shows a document after adding the text that has arrived since it was last shown. */
function GrownText({ Document, text, isEnded }: GrownTextProps) {
  const state = useRef<GrownState>(undefined)
  state.current ??= { document: new Document(), taken: 0, isEnded: false }
  const { document, taken } = state.current
  if (taken < text.length) document.push(text.slice(taken))
  state.current.taken = text.length
  document.update()
  if (isEnded && !state.current.isEnded) document.end(text)
  state.current.isEnded = isEnded
  return <Markdown document={document} />
}

/** Loads the lexer with the first answer, unless it was loaded before. */
function useMarkdown(): DocumentClass | undefined {
  const [Document, setDocument] = useState(loadedLexer)
  useEffect(() => {
    let isWanted = true
    void loadLexer().then(
      (loaded) => isWanted && setDocument(() => loaded),
      () => undefined, // Without the lexer the answer stays plain text.
    )
    return () => {
      isWanted = false
    }
  }, [])
  return Document
}
