import { useRef, useState } from 'preact/hooks'
import { asFailure, type RequestFailure } from './failure.ts'

/** Answer to a question that is only sent when a person asks it. Nothing repeats it. */
export interface Asked<Input, Data> {
  /** Input of the last question. Undefined before the first. */
  readonly input: Input | undefined
  readonly data: Data | undefined
  readonly failure: RequestFailure | undefined
  readonly isLoading: boolean
  readonly ask: (input: Input) => Promise<void>
  /** Forgets question and answer. */
  readonly clear: () => void
}

type State<Input, Data> = Omit<Asked<Input, Data>, 'ask' | 'clear'>

export function useAsked<Input, Data>(load: (input: Input) => Promise<Data>): Asked<Input, Data> {
  const idle = { input: undefined, data: undefined, failure: undefined, isLoading: false }
  const [state, setState] = useState<State<Input, Data>>(idle)
  const latest = useRef(0)

  const ask = async (input: Input) => {
    latest.current += 1
    const own = latest.current
    const set = (change: Partial<State<Input, Data>>) =>
      own === latest.current && setState({ ...idle, input, ...change })
    set({ isLoading: true })
    try {
      set({ data: await load(input) })
    } catch (error) {
      set({ failure: asFailure(error) })
    }
  }
  const clear = () => {
    latest.current += 1
    setState(idle)
  }
  return { ...state, ask, clear }
}
