package dev.headway.report.explain;

/**
 * A request in a journal.
 *
 * @param run which run, from 0
 * @param number order of arrival in that run, never reused
 */
record RequestMatch(int run, long number) {}
