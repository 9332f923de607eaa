/**
 * The smallest program around an engine: what the author of a server copies first.
 *
 * <p>Read {@link dev.headway.examples.quickstart.Quickstart}.
 */
@NullMarked
package dev.headway.examples.quickstart;

import org.jspecify.annotations.NullMarked;
