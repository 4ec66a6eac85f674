import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useResult } from '../../api/operation.ts'
import { texts } from '../../texts/operator-texts.ts'

/** Storage key of this browser, set once the steps are done or hidden. */
const storedName = 'inferd.first-steps'
const starterAddress = '/dashboard/chat?model=inferd%2Fstarter-chat'

/** Shows the first steps of a new server. Once they are done or hidden, `otherwise` takes their place for good. */
export function Checklist({ otherwise }: { readonly otherwise: ComponentChildren }) {
  const [isOver, setIsOver] = useState(() => localStorage.getItem(storedName) !== null)
  return isOver ? otherwise : <Steps onOver={() => setIsOver(true)} />
}

function Steps({ onOver }: { readonly onOver: () => void }) {
  const requests = useResult('requests-list', { tab: 'paid', limit: 1 })
  const models = useResult('models-list', {})
  const accounts = useResult('accounts-count', { sinceMs: 0 })
  const isKnown = requests.data !== undefined && models.data !== undefined && accounts.data !== undefined
  const words = texts.overview.checklist
  const steps = [
    // The operator is signed in, so a password exists.
    { name: words.password, isDone: true, href: '/dashboard/account' },
    { name: words.tryIt, isDone: (requests.data?.rows.length ?? 0) > 0, href: starterAddress },
    { name: words.addModel, isDone: models.data?.models.some(isAdded) ?? false, href: '/admin/models' },
    { name: words.invite, isDone: (accounts.data?.all ?? 0) > 0, href: '/admin/accounts' },
  ]
  const isOver = isKnown && steps.every(({ isDone }) => isDone)
  const hide = () => {
    localStorage.setItem(storedName, 'done')
    onOver()
  }
  useEffect(() => {
    if (isOver) hide()
  }, [isOver])
  if (!isKnown || isOver) return null
  return (
    <section class="card stack checklist" aria-labelledby="first-steps">
      <h2 id="first-steps">{words.title}</h2>
      <ol>
        {steps.map(({ name, isDone, href }) => (
          <li key={name}>
            <span class={isDone ? 'ok' : 'muted'} aria-hidden="true">
              {isDone ? '✓' : '○'}
            </span>{' '}
            {isDone ? (
              <>
                <s class="muted">{name}</s> <span class="unseen">{words.done}</span>
              </>
            ) : (
              <a href={href}>{name}</a>
            )}
          </li>
        ))}
      </ol>
      <div>
        <button type="button" class="small" onClick={hide}>
          {words.hide}
        </button>
      </div>
    </section>
  )
}

function isAdded({ isCarried, status }: { readonly isCarried: boolean; readonly status: string }): boolean {
  return !isCarried && (status === 'ready' || status === 'downloading')
}
