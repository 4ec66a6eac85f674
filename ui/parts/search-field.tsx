import { useEffect, useId, useRef } from 'preact/hooks'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Time without typing before a search, in milliseconds. Defaults to 250. */
  readonly pauseMs?: number
  /** Called before the person types. */
  readonly onFocus?: () => void
  /** Called after the pause. */
  readonly onSearch: (text: string) => void
}

/** Searches while the person types. A value that becomes empty elsewhere empties the field. */
export function SearchField({ label, value, pauseMs = 250, onFocus, onSearch }: SearchFieldProps) {
  const id = useId()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    const isTyping = document.activeElement === input.current
    if (value === '' && !isTyping && input.current !== null) input.current.value = ''
  }, [value])
  return (
    <div class="search-field">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        autoComplete="off"
        placeholder={label}
        maxLength={100}
        defaultValue={value}
        onFocus={onFocus}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onSearch(currentTarget.value.trim()), pauseMs)
        }}
      />
    </div>
  )
}
