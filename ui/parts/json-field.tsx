import { useId } from 'preact/hooks'

interface JsonFieldProps {
  readonly label: string
  readonly value: string
  readonly rows: number
  /** Mistake in the text, such as `jsonProblem` finds. */
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

/** Edits text that must be JSON. Its error is shown below while typing. */
export function JsonField({ label, value, rows, problem, onChange }: JsonFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        class="code"
        spellcheck={false}
        dir="ltr"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p id={`${id}-problem`} class="bad" role="status">
        {problem ?? ''}
      </p>
    </div>
  )
}
