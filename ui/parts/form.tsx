import { type ComponentChildren, createContext } from 'preact'
import { useState } from 'preact/hooks'
import { offlineSinceMs } from '../api/connection.ts'
import { asFailure, RequestFailure } from '../api/failure.ts'
import { texts } from '../texts/texts.ts'
import { FailureBox } from './failure-box.tsx'
import { type FilledField, inWordsOfForm } from './form-words.ts'

export interface FormProps {
  /** Sends the fields. The form waits for the result and shows a RequestFailure at its field or below. */
  readonly onSend: (fields: FormFields) => Promise<void>
  readonly button: string
  readonly onCancel?: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly children?: ComponentChildren
}

/** Returns a field's value by its name, without blanks around it except in passwords. */
type FormFields = (name: string) => string

/** Failure of the form around a field */
export const FormFailure = createContext<RequestFailure | undefined>(undefined)

/** Shows a form that the server validates. Its button is disabled while sending and while offline. */
export function Form({ onSend, button, onCancel, isDangerous, isDisabled, children }: FormProps) {
  const [failure, setFailure] = useState<RequestFailure>()
  const [isSending, setIsSending] = useState(false)
  const [isAtField, setIsAtField] = useState(false)

  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget
    if (!(form instanceof HTMLFormElement) || isSending) return
    const data = new FormData(form)
    setIsSending(true)
    setFailure(undefined)
    try {
      await onSend((name) => {
        const value = String(data.get(name) ?? '')
        const field = form.elements.namedItem(name)
        return field instanceof HTMLInputElement && field.type === 'password' ? value : value.trim()
      })
    } catch (error) {
      const thrown = asFailure(error)
      const failed = new RequestFailure(inWordsOfForm(thrown.message, filledFields(form)), thrown.facts)
      setFailure(failed)
      setIsAtField(failed.facts.param !== undefined && form.elements.namedItem(failed.facts.param) !== null)
    } finally {
      setIsSending(false)
    }
  }

  return (
    <form onSubmit={(event) => void send(event)} onInput={() => setFailure(undefined)}>
      <FormFailure.Provider value={failure}>{children}</FormFailure.Provider>
      {failure !== undefined && !isAtField && <FailureBox failure={failure} />}
      <div class="actions">
        {onCancel !== undefined && (
          <button type="button" class="quiet" onClick={onCancel}>
            {texts.shared.cancel}
          </button>
        )}
        <button
          type="submit"
          class={isDangerous === true ? 'primary danger' : 'primary'}
          aria-busy={isSending}
          disabled={isSending || isDisabled === true || offlineSinceMs.value !== undefined}
        >
          {button}
        </button>
      </div>
    </form>
  )
}

function filledFields(form: HTMLFormElement): FilledField[] {
  return [...form.elements].flatMap((field) => {
    const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement
    if (!isField || field.name === '') return []
    return [{ name: field.name, label: field.labels?.[0]?.textContent?.trim() ?? field.name, value: field.value }]
  })
}
