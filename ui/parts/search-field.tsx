import { useEffect, useId, useRef } from 'preact/hooks'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Called after a moment without typing. */
  readonly onSearch: (text: string) => void
}

const pauseMs = 250

/** Searches while the person types. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const id = useId()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div class="search-field">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        placeholder={label}
        maxLength={100}
        defaultValue={value}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onSearch(currentTarget.value.trim()), pauseMs)
        }}
      />
    </div>
  )
}
