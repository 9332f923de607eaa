/** What is asked for: prompts and lengths. */
@NullMarked
package dev.headway.loadgen.dataset;

import org.jspecify.annotations.NullMarked;
