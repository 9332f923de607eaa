/** What a router answers itself: its health, its metrics, its workers, their models. */
@NullMarked
package dev.headway.router.control;

import org.jspecify.annotations.NullMarked;
