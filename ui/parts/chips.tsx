export interface ChipsProps<Value extends string> {
  /** What is chosen between, for screen readers. */
  readonly label: string
  readonly value: Value
  /** Words by value, in their order. */
  readonly choices: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

/** A row of small buttons, one of which is pressed: a filter that is always in sight. */
export function Chips<Value extends string>({ label, value, choices, onChange }: ChipsProps<Value>) {
  const values = Object.keys(choices) as Value[]
  return (
    <fieldset class="chips">
      <legend class="unseen">{label}</legend>
      {values.map((choice) => (
        <button
          key={choice}
          type="button"
          class="small"
          aria-pressed={choice === value}
          onClick={() => onChange(choice)}
        >
          {choices[choice]}
        </button>
      ))}
    </fieldset>
  )
}
