import { useId } from 'preact/hooks'
import { texts } from '../texts/texts.ts'

export interface JsonFieldProps {
  readonly label: string
  readonly value: string
  readonly rows: number
  /** What is wrong with it, such as what `jsonProblem` finds. */
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

/** A text that must be JSON; what is wrong with it is said below while it is typed. */
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

/** Why a text is no JSON, in the browser's words; undefined where it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return texts.shared.noJson(error instanceof Error ? error.message : '')
  }
}
