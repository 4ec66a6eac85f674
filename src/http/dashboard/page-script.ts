/** What the pages of `pages.ts` do. It shows what the server says as text, never as HTML. */
export const pageScript = `
const find = (id) => document.getElementById(id)
const show = (id, isShown) => { find(id).hidden = !isShown }
const say = (text) => { find('notice').textContent = text }

async function call(path, method = 'GET', body) {
  const response = await fetch('/dashboard/api/' + path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.error.message), { status: response.status })
  return answer
}

const act = (work) => async (event) => {
  event.preventDefault()
  say('')
  try { await work(event) } catch (error) { say(error.message) }
}

function fill(table, head, rows) {
  const row = (cells, kind) => {
    const line = document.createElement('tr')
    for (const cell of cells) {
      const field = document.createElement(kind)
      field.append(cell)
      line.append(field)
    }
    return line
  }
  find(table).replaceChildren(...(rows.length === 0 ? [] : [row(head, 'th'), ...rows.map((cells) => row(cells, 'td'))]))
}

const day = (time) => time === null ? '' : time.slice(0, 16).replace('T', ' ')

function revokeButton(key) {
  if (key.revoked !== null) return 'revoked'
  const button = document.createElement('button')
  button.textContent = 'Revoke'
  button.onclick = act(async () => {
    if (!confirm('Revoke the key ' + key.name + '? Programs that use it stop working.')) return
    await call('keys/' + encodeURIComponent(key.id), 'DELETE')
    await refresh()
  })
  return button
}

async function refresh() {
  const me = await call('me')
  const [ledger, keys] = await Promise.all([call('ledger?limit=20'), call('keys')])
  show('guest', false)
  show('member', true)
  find('email').textContent = me.email ?? me.name
  show('unconfirmed', !me.confirmed && me.email !== null)
  find('balance').textContent = '$' + me.balance_usd
  find('held').textContent = me.held === 0 ? '' : ', of which requests hold $' + me.held_usd
  fill('ledger', ['When (UTC)', 'What', 'Amount', 'Balance', 'Memo'], ledger.data.map((row) =>
    [day(row.created), row.kind.replace('_', ' '), row.amount_usd, row.balance_after_usd, row.memo ?? '']))
  fill('keys', ['Name', 'Key', 'Created', 'Last used', ''], keys.data.map((key) =>
    [key.name, key.prefix + '…', day(key.created), day(key.last_used), revokeButton(key)]))
}

async function start() {
  try { await refresh() } catch (error) {
    if (error.status !== 401) return say(error.message)
    show('member', false)
    show('guest', true)
  }
}

if (find('use-link') !== null) {
  const token = new URLSearchParams(location.search).get('token') ?? ''
  history.replaceState(null, '', location.pathname)
  find('use-link').onclick = act(async () => {
    await call('session', 'POST', { token })
    location.assign('/dashboard')
  })
} else {
  find('sign-in').onsubmit = act(async ({ target }) => {
    await call('sign-in', 'POST', { email: target.email.value, password: target.password.value })
    target.reset()
    await start()
  })
  find('mail-link').onclick = act(async () => {
    const { email } = find('sign-in')
    if (!email.reportValidity()) return
    say((await call('sign-in-link', 'POST', { email: email.value })).message)
  })
  find('sign-out').onclick = act(async () => {
    await call('sign-out', 'POST', {})
    location.reload()
  })
  find('confirm').onclick = act(async () => say((await call('confirmation', 'POST', {})).message))
  find('redeem').onsubmit = act(async ({ target }) => {
    const { amount_usd } = await call('vouchers/redeem', 'POST', { code: target.code.value })
    target.reset()
    await refresh()
    say('$' + amount_usd + ' was added to your balance.')
  })
  find('new-key').onsubmit = act(async ({ target }) => {
    const { key } = await call('keys', 'POST', { name: target.name.value })
    target.reset()
    find('secret').textContent = 'Your new key, shown this once: ' + key
    await refresh()
  })
  start()
}
`
