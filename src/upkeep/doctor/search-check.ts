import { version } from '../../config/config.ts'
import { askSearxng, type SearxngAnswer } from '../../search/searxng.ts'
import type { Finding } from './check.ts'

/** Checks that the operator's search server answers in JSON. Asks it for one search. */
export async function searchFinding(url: string | undefined): Promise<Finding> {
  if (url === undefined) return { verdict: 'ok', text: 'no search server is set: models do not search the web' }
  const signal = new AbortController().signal
  const answer = await askSearxng({ url, userAgent: `inferd/${version}` }, { text: 'inferd' }, signal)
  return findingOf(answer)
}

function findingOf(answer: SearxngAnswer): Finding {
  switch (answer.type) {
    case 'results':
      return { verdict: 'ok', text: 'the search server answers in JSON' }
    case 'failed':
      return { verdict: 'bad', text: `the search server does not serve: ${answer.reason}`, advice: 'check search-url' }
    case 'refused':
      return {
        verdict: 'bad',
        text: `the search server answers with the status ${answer.status}`,
        advice: answer.status === 403 ? allowJson : 'check search-url, and the log of SearXNG',
      }
  }
}

const allowJson = "add json to 'formats' below 'search' in SearXNG's settings.yml, and restart it"
