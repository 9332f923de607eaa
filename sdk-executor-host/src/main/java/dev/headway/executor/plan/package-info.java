/** Refuses what an executor cannot run, before it computes. For executors in other modules too. */
@NullMarked
package dev.headway.executor.plan;

import org.jspecify.annotations.NullMarked;
