import { useEffect, useRef } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Field } from './field.tsx'

interface CodeFieldProps {
  readonly hint?: string
  /** True if the field appears while somebody types, and should be next. */
  readonly takesFocus?: boolean
}

/** Asks for the code of an authenticator app. */
export function CodeField({ hint, takesFocus = false }: CodeFieldProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) box.current?.querySelector('input')?.focus()
  }, [takesFocus])
  return (
    <div ref={box}>
      <Field
        label={texts.signIn.code}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={20}
        {...(hint !== undefined && { hint })}
        required
      />
    </div>
  )
}
