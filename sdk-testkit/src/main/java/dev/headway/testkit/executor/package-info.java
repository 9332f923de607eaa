/**
 * What the engine relies on in an executor. Extend {@link
 * dev.headway.testkit.executor.ExecutorContract} in your own test.
 */
@NullMarked
package dev.headway.testkit.executor;

import org.jspecify.annotations.NullMarked;
