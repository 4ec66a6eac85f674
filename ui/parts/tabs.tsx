import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface TabsProps<Value extends string> {
  /** Accessible name of the tab list. */
  readonly label: string
  readonly value: Value
  /** Labels by value, in display order. */
  readonly choices: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
  /** Content of the chosen tab. */
  readonly children: ComponentChildren
}

/** Shows tabs. Arrow keys choose the next one. */
export function Tabs<Value extends string>({ label, value, choices, onChange, children }: TabsProps<Value>) {
  const id = useId()
  const values = Object.keys(choices) as Value[]

  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = values[(values.indexOf(value) + step + values.length) % values.length]
    if (next === undefined) return
    event.preventDefault()
    onChange(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }

  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {values.map((choice) => (
          <button
            key={choice}
            id={`${id}-${choice}`}
            type="button"
            role="tab"
            aria-selected={choice === value}
            aria-controls={`${id}-panel`}
            tabIndex={choice === value ? 0 : -1}
            onClick={() => onChange(choice)}
          >
            {choices[choice]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </div>
  )
}
