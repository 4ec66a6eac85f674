interface ChipsProps<Value extends string> {
  /** Accessible name of the group. */
  readonly label: string
  readonly value: Value
  /** Labels by value, in display order. */
  readonly choices: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

/** Shows a row of small buttons, one of them pressed: a filter that is always visible. */
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
