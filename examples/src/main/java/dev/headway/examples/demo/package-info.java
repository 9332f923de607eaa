/**
 * The first thing to run: a made-up load through scheduler, journal and CSV in seconds.
 *
 * <p>Read {@link dev.headway.examples.demo.DemoCommand}.
 */
@NullMarked
package dev.headway.examples.demo;

import org.jspecify.annotations.NullMarked;
