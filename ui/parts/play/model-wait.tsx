import { useEffect, useState } from 'preact/hooks'
import { useResult } from '../../api/own-operation.ts'
import { waitText } from './wait-text.ts'

const askMs = 1_000

/** Shows the reason why a request still has no answer, which the stream does not contain. */
export function ModelWait({ model }: { readonly model: string }) {
  const answer = useResult('models-loading', {}, { everyMs: askMs })
  const seconds = useSeconds()
  return (
    <p class="model-wait" aria-busy="true">
      {waitText(
        answer.data?.find(({ id }) => id === model),
        seconds,
      )}
    </p>
  )
}

/** Returns whole seconds since the component was mounted. */
function useSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = performance.now()
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedAt) / 1_000)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}
