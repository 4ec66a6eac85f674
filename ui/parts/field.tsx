import type { TargetedInputEvent } from 'preact'
import { useContext, useEffect, useId, useRef } from 'preact/hooks'
import { FormFailure } from './form.tsx'

interface FieldProps {
  readonly label: string
  /** Server's name of the field. An error about it is shown here. */
  readonly name: string
  readonly hint?: string
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'search' | 'month'
  readonly autoComplete?: string
  readonly inputMode?: 'text' | 'decimal' | 'numeric'
  readonly defaultValue?: string
  readonly value?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly min?: number | string
  readonly max?: number | string
  readonly step?: number | 'any'
  /** True to focus it when its dialog opens. */
  readonly isFirst?: boolean
  readonly onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void
}

/** Shows a labelled input of one line. Without `autocomplete` browsers fill in nothing. */
export function Field({ label, name, hint, isFirst = false, ...input }: FieldProps) {
  const failure = useContext(FormFailure)
  const wrong = failure?.facts.param === name ? failure.message : undefined
  const field = useRef<HTMLInputElement>(null)
  const id = useId()

  // setCustomValidity is not used, because the browser would not submit a form with an invalid field again.
  useEffect(() => {
    if (wrong !== undefined) field.current?.focus()
  }, [wrong, failure])

  const notes = [hint === undefined ? '' : `${id}-hint`, wrong === undefined ? '' : `${id}-wrong`].join(' ').trim()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        autoComplete="off"
        // Preact's types distinguish inputs by `type`, which is unknown here.
        {...(input as object)}
        {...(isFirst && { autofocus: true })}
        {...(notes !== '' && { 'aria-describedby': notes })}
        ref={field}
        id={id}
        name={name}
        aria-invalid={wrong !== undefined}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {wrong !== undefined && (
        <p id={`${id}-wrong`} class="bad" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}
