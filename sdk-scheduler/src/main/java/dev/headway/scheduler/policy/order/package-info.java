/**
 * Which waiting request is considered first.
 *
 * <pre>{@code
 * static, in a heap:   Fcfs, ByPriority, ShortestJob, EarliestDeadline, LongestOutput, RandomOrder
 * scored in each step: LongestPrefixMatch, ShortestPrefill, HighestResponseRatio, LeastSlack,
 *                      VirtualTokenCounter, RunningAdapters
 * }</pre>
 *
 * <p>Equal requests go by arrival. Engine thread only; what is remembered per request is let go
 * when it ends; tables grow and stay, nothing else is allocated.
 */
@NullMarked
package dev.headway.scheduler.policy.order;

import org.jspecify.annotations.NullMarked;
