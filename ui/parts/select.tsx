import { useId } from 'preact/hooks'

interface SelectProps<Value extends string> {
  readonly label: string
  readonly name?: string
  readonly value: Value
  /** Words by value, in display order unless `order` gives another: records put values such as '30' first. */
  readonly choices: Readonly<Record<Value, string>>
  readonly order?: readonly Value[]
  readonly onChange: (value: Value) => void
}

/** Shows a labelled choice. */
export function Select<Value extends string>({ label, name, value, choices, order, onChange }: SelectProps<Value>) {
  const id = useId()
  const values = order ?? (Object.keys(choices) as Value[])
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {values.map((choice) => (
          <option key={choice} value={choice}>
            {choices[choice]}
          </option>
        ))}
      </select>
    </div>
  )
}
