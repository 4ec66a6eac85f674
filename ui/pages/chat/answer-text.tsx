import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type * as MarkdownModule from '../../parts/markdown/markdown.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { showCost } from './show-pace.ts'
import type { Step } from './step.ts'

type Markdown = typeof MarkdownModule

export interface AnswerTextProps {
  readonly step: Step
  /** More of it is shown. */
  readonly onShown: () => void
}

/** The text of an answer as markdown, which is loaded with the first one. Nothing of it is announced while it grows. */
export function AnswerText({ step, onShown }: AnswerTextProps) {
  const startedAtMs = performance.now()
  const module = useMarkdown()
  // Subscribes to what is to be shown.
  step.shown.value
  const isEnded = !step.isRunning

  useLayoutEffect(() => {
    onShown()
    if (!isEnded) showCost.lastMs = performance.now() - startedAtMs
  })

  if (step.text === '') return null
  return (
    <div class="answer-text" aria-live="off" dir="auto">
      {module === undefined ? (
        <p class="plain">
          <LongText text={step.text} isCut />
        </p>
      ) : (
        <GrownText module={module} text={step.text} isEnded={isEnded} />
      )}
    </div>
  )
}

interface GrownTextProps {
  readonly module: Markdown
  readonly text: string
  readonly isEnded: boolean
}

/** Gives the document what has come since it was last shown. */
function GrownText({ module: { GrowingMarkdown, Markdown }, text, isEnded }: GrownTextProps) {
  const state = useRef({ document: new GrowingMarkdown(), taken: 0, isEnded: false })
  const { document, taken } = state.current
  if (taken < text.length) document.push(text.slice(taken))
  state.current.taken = text.length
  document.update()
  if (isEnded && !state.current.isEnded) document.end(text)
  state.current.isEnded = isEnded
  return <Markdown document={document} />
}

function useMarkdown(): Markdown | undefined {
  const [module, setModule] = useState<Markdown>()
  useEffect(() => {
    let isWanted = true
    void import('../../parts/markdown/markdown.tsx').then(
      (loaded) => isWanted && setModule(loaded),
      () => undefined, // It stays plain text.
    )
    return () => {
      isWanted = false
    }
  }, [])
  return module
}
