/**
 * Building blocks for a custom scheduler: {@link dev.headway.api.support.SimpleScheduler} keeps the
 * books of one that only plans its steps; a request and a plan with setters, and {@link
 * dev.headway.api.support.WaitClocks} that attribute waiting time to reasons, are for any other.
 * Executors can copy a plan's block operations to a {@link
 * dev.headway.api.support.SimpleBlockOperations}.
 *
 * <p>A scheduler extends or holds a {@link dev.headway.api.support.SimpleRequest} for each request
 * and fills one {@link dev.headway.api.support.SimplePlan} per step in flight. Engine thread only.
 */
@NullMarked
package dev.headway.api.support;

import org.jspecify.annotations.NullMarked;
