/**
 * The model executor.
 *
 * <p>Read {@link dev.headway.api.executor.Executor}. A step is handed over by {@code submit} and
 * answered by {@code await}; the two are separate so that a remote server, a GPU stream or a
 * pipeline can hold more than one step. {@link dev.headway.api.executor.ExecutorShape} gives their
 * number.
 */
@NullMarked
package dev.headway.api.executor;

import org.jspecify.annotations.NullMarked;
