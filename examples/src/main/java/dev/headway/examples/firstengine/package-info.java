/** The program of the start page: an engine with an executor of its own. */
@NullMarked
package dev.headway.examples.firstengine;

import org.jspecify.annotations.NullMarked;
