/** Entry of the page of all parts, for those who work on them. It asks no server, and no build contains it. */
import { render } from 'preact'
import { Announcements } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { Mark } from '../parts/mark.tsx'
import { Page } from '../parts/page.tsx'
import { Select } from '../parts/select.tsx'
import { applyTheme, type Theme, theme } from '../theme/theme.ts'
import { ActionSections } from './actions.tsx'
import { DataSections } from './data.tsx'
import { InputSections } from './inputs.tsx'
import { MemorySection } from './memory.tsx'
import { Section } from './section.tsx'
import { StateSections } from './states.tsx'
import { TokenSections } from './token-sections.tsx'

function Kit() {
  return (
    <div class="shell">
      <header class="top-line">
        <span class="product">
          <Mark /> <b>inferd</b>
        </span>
      </header>
      <main id="content">
        <Page
          title="Parts"
          intro="Every part of the pages in every state."
          action={
            <Select<Theme>
              label="Theme"
              value={theme.value}
              choices={{ system: 'as the system', light: 'light', dark: 'dark' }}
              onChange={applyTheme}
            />
          }
        >
          <div class="sections">
            <TokenSections />
            <ActionSections />
            <InputSections />
            <DataSections />
            <MemorySection />
            <NavigationSection />
            <StateSections />
          </div>
        </Page>
      </main>
      <Announcements />
    </div>
  )
}

function NavigationSection() {
  return (
    <Section name="Navigation">
      <div class="rail">
        <nav class="rail-pages" aria-label="Example">
          <ul>
            <li>
              <a href="#navigation" aria-current="page">
                <Icon name="message-square" /> Chat
              </a>
            </li>
            <li>
              <a href="#navigation">
                <Icon name="volume-2" /> Speak
              </a>
            </li>
          </ul>
        </nav>
      </div>
    </Section>
  )
}

applyTheme(theme.value)
const root = document.getElementById('app')
if (root !== null) render(<Kit />, root)
