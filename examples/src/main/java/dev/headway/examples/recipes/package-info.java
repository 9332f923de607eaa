/** Small answers to questions that come up again. */
@NullMarked
package dev.headway.examples.recipes;

import org.jspecify.annotations.NullMarked;
