// Above every page: the questions from hooks that wait for an answer.

import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PanelService, type Question } from '../gen/holdfast/panel/v1/panel_pb.js'
import { Notice } from '../parts/notice.js'
import { count } from '../words/number.js'
import { line } from '../words/plain.js'
import { becomeNotifier, notifyOf } from './notifications.js'

const LONGEST = 120

export const useQuestions = () => useQuery(PanelService.method.listQuestions, {})

export function QuestionsNotice({ questions }: { readonly questions: readonly Question[] }) {
  const navigate = useNavigate()
  const isOpen = useRouterState({ select: state => state.location.pathname === '/questions' })
  useEffect(becomeNotifier, [])
  useEffect(() => notifyOf(questions, () => void navigate({ to: '/questions' })), [questions, navigate])
  const [first] = questions
  if (!first || isOpen) return null
  return (
    <Notice tone="ask" isBanner role="status">
      <strong>
        {questions.length === 1
          ? `${line(first.agent)} asks for approval`
          : `${count(questions.length, 'question')} wait for an answer`}
      </strong>
      <code>{line(first.subject).slice(0, LONGEST)}</code>
      <Link to="/questions">Answer</Link>
    </Notice>
  )
}
