/** The files that a run leaves. */
@NullMarked
package dev.headway.loadgen.output;

import org.jspecify.annotations.NullMarked;
