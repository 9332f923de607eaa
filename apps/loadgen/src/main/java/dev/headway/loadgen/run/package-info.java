/** One run: requests let go at their times, answers recorded. */
@NullMarked
package dev.headway.loadgen.run;

import org.jspecify.annotations.NullMarked;
