// What the pages of `pages.ts` do. The file is sent as it is, so types stand in comments, which
// src/http/dashboard/tsconfig.json has checked. Answers are shown as text, never as HTML.

/**
 * @typedef {{ email: string | null, name: string, confirmed: boolean, balance_usd: string, held: number, held_usd: string }} Account
 * @typedef {{ created: string, kind: string, amount_usd: string, balance_after_usd: string, memo: string | null }} LedgerRow
 * @typedef {{ id: string, name: string, prefix: string, created: string, revoked: string | null, last_used: string | null }} Key
 */

class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function find(id, kind) {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`the page has no ${kind.name} "${id}"`)
}

/** @param {string} id @param {boolean} isShown */
function show(id, isShown) {
  find(id, HTMLElement).hidden = !isShown
}

/** @param {string} id @param {string} text */
function write(id, text) {
  find(id, HTMLElement).textContent = text
}

/** @param {string} id @param {string} name */
function field(id, name) {
  const element = find(id, HTMLFormElement).elements.namedItem(name)
  if (element instanceof HTMLInputElement) return element
  throw new Error(`the form "${id}" has no field "${name}"`)
}

/**
 * Rejects with Refused.
 * @param {string} path
 * @param {'GET' | 'POST' | 'DELETE'} [method]
 * @param {object} [body]
 */
async function request(path, method = 'GET', body) {
  const response = await fetch(`/dashboard/api/${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer.error.message, response.status)
  return answer
}

/**
 * Does something when a form is sent or a button is pressed, and shows why it failed.
 * @param {() => Promise<unknown>} work
 * @returns {(event: Event) => Promise<void>}
 */
function act(work) {
  return async (event) => {
    event.preventDefault()
    write('notice', '')
    try {
      await work()
    } catch (error) {
      write('notice', error instanceof Error ? error.message : String(error))
    }
  }
}

/** @param {string} id @param {string[]} head @param {(string | Node)[][]} rows */
function fill(id, head, rows) {
  /** @param {(string | Node)[]} cells @param {'th' | 'td'} kind */
  const line = (cells, kind) => {
    const row = document.createElement('tr')
    for (const cell of cells) {
      const element = document.createElement(kind)
      element.append(cell)
      row.append(element)
    }
    return row
  }
  const lines = rows.length === 0 ? [] : [line(head, 'th'), ...rows.map((cells) => line(cells, 'td'))]
  find(id, HTMLTableElement).replaceChildren(...lines)
}

/** @param {string | null} time */
function minute(time) {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ')
}

/** @param {Key} key */
function revokeButton({ id, name, revoked }) {
  if (revoked !== null) return 'revoked'
  const button = document.createElement('button')
  button.textContent = 'Revoke'
  button.onclick = act(async () => {
    if (!confirm(`Revoke the key ${name}? Programs that use it stop working.`)) return
    await request(`keys/${encodeURIComponent(id)}`, 'DELETE')
    await refresh()
  })
  return button
}

async function refresh() {
  /** @type {Account} */
  const account = await request('me')
  /** @type {[{ data: LedgerRow[] }, { data: Key[] }]} */
  const [ledger, keys] = await Promise.all([request('ledger?limit=20'), request('keys')])
  show('guest', false)
  show('account', true)
  write('email', account.email ?? account.name)
  show('unconfirmed', !account.confirmed && account.email !== null)
  write('balance', `$${account.balance_usd}`)
  write('held', account.held === 0 ? '' : `, of which requests hold $${account.held_usd}`)
  const moves = ledger.data.map((row) => [
    ...[minute(row.created), row.kind.replace('_', ' '), row.amount_usd, row.balance_after_usd, row.memo ?? ''],
  ])
  fill('ledger', ['When (UTC)', 'What', 'Amount', 'Balance', 'Memo'], moves)
  const rows = keys.data.map((key) => [
    ...[key.name, `${key.prefix}…`, minute(key.created), minute(key.last_used), revokeButton(key)],
  ])
  fill('keys', ['Name', 'Key', 'Created', 'Last used', ''], rows)
}

async function start() {
  try {
    await refresh()
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error
    show('account', false)
    show('guest', true)
  }
}

function signInPage() {
  const token = new URLSearchParams(location.search).get('token') ?? ''
  // The secret does not stay in the address, which browsers remember and show.
  history.replaceState(null, '', location.pathname)
  find('use-link', HTMLButtonElement).onclick = act(async () => {
    await request('session', 'POST', { token })
    location.assign('/dashboard')
  })
}

function accountPage() {
  const signIn = find('sign-in', HTMLFormElement)
  const email = field('sign-in', 'email')
  signIn.onsubmit = act(async () => {
    await request('sign-in', 'POST', { email: email.value, password: field('sign-in', 'password').value })
    signIn.reset()
    await start()
  })
  find('mail-link', HTMLButtonElement).onclick = act(async () => {
    if (email.reportValidity()) write('notice', (await request('sign-in-link', 'POST', { email: email.value })).message)
  })
  find('sign-out', HTMLButtonElement).onclick = act(async () => {
    await request('sign-out', 'POST', {})
    location.reload()
  })
  find('confirm', HTMLButtonElement).onclick = act(async () => {
    write('notice', (await request('confirmation', 'POST', {})).message)
  })
  const redeem = find('redeem', HTMLFormElement)
  redeem.onsubmit = act(async () => {
    const { amount_usd } = await request('vouchers/redeem', 'POST', { code: field('redeem', 'code').value })
    redeem.reset()
    await refresh()
    write('notice', `$${amount_usd} was added to your balance.`)
  })
  const newKey = find('new-key', HTMLFormElement)
  newKey.onsubmit = act(async () => {
    const { key } = await request('keys', 'POST', { name: field('new-key', 'name').value })
    newKey.reset()
    write('secret', `Your new key, shown this once: ${key}`)
    await refresh()
  })
  start().catch((error) => write('notice', error.message))
}

if (document.getElementById('use-link') === null) accountPage()
else signInPage()
