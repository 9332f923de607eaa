/**
 * What the engine relies on in a probe. Extend {@link dev.headway.testkit.probe.ProbeContract} in a
 * test of your own.
 */
@NullMarked
package dev.headway.testkit.probe;

import org.jspecify.annotations.NullMarked;
