import { FileCheck2, History, Layers, MessageCircleQuestion, Play, Table2 } from 'lucide-react'
import { useFind } from '../shell/find.js'
import { Frame, type Place } from '../shell/frame.js'
import { rough } from '../words/number.js'
import { usePanel } from './context.js'
import { LockedOut } from './locked-out.js'
import { QuestionsNotice, useQuestions } from './questions-notice.js'

export function Root() {
  const { workspace, news } = usePanel()
  const find = useFind(() => import('./find.js'))
  const questions = useQuestions().data?.questions ?? []
  const places: Place[] = [
    { to: '/hooks', label: 'Hooks', icon: Layers, key: 'h', count: rough(workspace.hooks) },
    { to: '/runs', label: 'Runs', icon: History, key: 'r' },
    { to: '/sessions', label: 'Sessions', icon: Table2, key: 's' },
    {
      to: '/questions',
      label: 'Questions',
      icon: MessageCircleQuestion,
      key: 'q',
      count: questions.length > 0 ? rough(questions.length) : undefined,
    },
    { to: '/fire', label: 'Fire', icon: Play, key: 'f' },
    { to: '/compat', label: 'Compat', icon: FileCheck2, key: 'c' },
  ]
  return (
    <Frame
      name={workspace.name}
      places={places}
      live={news}
      find={find}
      notice={
        <>
          <LockedOut />
          <QuestionsNotice questions={questions} />
        </>
      }
    />
  )
}
