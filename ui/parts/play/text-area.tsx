import { useId } from 'preact/hooks'

export interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly rows: number
  readonly hint?: string
  /** What is wrong with the text, which is then marked. */
  readonly problem?: string | undefined
  readonly onInput: (text: string) => void
  /** Ctrl or Cmd with Enter. */
  readonly onSend: () => unknown
}

/** A labelled text of several lines. */
export function TextArea({ label, value, rows, hint, problem, onInput, onSend }: TextAreaProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return
          event.preventDefault()
          if (problem === undefined && value.trim() !== '') void onSend()
        }}
      />
      <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'bad'}>
        {problem ?? hint}
      </p>
    </div>
  )
}
