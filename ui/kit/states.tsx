/** States of data and of things: words, nothing there, failed, stale. */
import { RequestFailure } from '../api/failure.ts'
import { FailureBox } from '../parts/failure-box.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { StateWord } from '../parts/state-word.tsx'
import { Section } from './section.tsx'

const failed = new RequestFailure('The server failed while it answered. Try again.', {
  ...{ status: 500, code: 'internal_error', param: undefined },
  ...{ requestId: 'req_0123456789abcdef', retryAfterSeconds: undefined },
})

const answer = { isLoading: false, loadedAtMs: Date.now(), reload: () => Promise.resolve() }

export function StateSections() {
  return (
    <>
      <Section name="State words">
        <div class="row">
          <StateWord tone="ok" word="ready" />
          <StateWord tone="busy" word="loading 40 %" />
          <StateWord tone="waiting" word="waiting" />
          <StateWord tone="bad" word="failed" />
          <StateWord tone="off" word="not loaded" />
          <span class="badge">tiny, for trying</span>
        </div>
      </Section>
      <Section name="Nothing there">
        <Empty text="There are no keys yet.">
          <button type="button" class="primary">
            Create key
          </button>
        </Empty>
      </Section>
      <Section name="Loading">
        <Loaded answer={{ ...answer, data: undefined, failure: undefined }}>{() => null}</Loaded>
      </Section>
      <Section name="Failed">
        <FailureBox failure={failed} onRetry={answer.reload} />
      </Section>
      <Section name="Stale">
        <Loaded answer={{ ...answer, data: 'laptop', failure: failed }}>{(name) => <p class="card">{name}</p>}</Loaded>
      </Section>
    </>
  )
}
