import { useId } from 'preact/hooks'

interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly rows: number
  readonly hint?: string
  /** Problem with the text, which is then marked as invalid. */
  readonly problem?: string | undefined
  readonly onInput: (text: string) => void
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onSend: () => unknown
}

/** Shows a labelled text area. */
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
